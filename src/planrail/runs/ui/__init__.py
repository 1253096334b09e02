"""What people see: servers, browsers, pictures, and which person has looked."""
