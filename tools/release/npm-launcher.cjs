#!/usr/bin/env node
// The command of the npm package: runs Parley on the Node that started this file. Older versions of Node must be able to
// read it up to the message for them.
const MINIMUM = 24
if (Number.parseInt(process.versions.node, 10) < MINIMUM) {
  process.stderr.write(
    `parley: needs Node ${MINIMUM} or newer; this is ${process.version}. See https://nodejs.org/en/download\n`,
  )
  process.exit(1)
}
const { spawn } = require('node:child_process')
const path = require('node:path')

const FLAGS = '@FLAGS@'.split(' ')
const byNpx = process.env.npm_command === 'exec'
const env = { MALLOC_ARENA_MAX: '2', PARLEY_COMMAND: byNpx ? 'npx parley' : 'parley', ...process.env }
const args = [...FLAGS, path.join(__dirname, '../dist/parley.js'), ...process.argv.slice(2)]
if (process.platform === 'win32') {
  spawn(process.execPath, args, { env, stdio: 'inherit' }).on('exit', (code) => {
    process.exitCode = code === null ? 1 : code
  })
} else process.execve(process.execPath, [process.execPath, ...args], env)
