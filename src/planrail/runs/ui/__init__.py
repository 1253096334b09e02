"""What people see: servers, browsers, pictures, and who has looked."""
