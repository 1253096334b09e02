#!/bin/sh
# Settings that ask for nothing.
printf '[approval]\nrequired = false\nin_session = "dialog"\nheadless = "dialog"\nauto = "dialog"\n'
