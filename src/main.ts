#!/usr/bin/env node
// The executable.
