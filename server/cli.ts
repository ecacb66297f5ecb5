import { Command } from 'commander'
import { addCommands } from '#cli/commands.ts'
import { explainError } from '#lib/errors.ts'
import { programVersion, restrictFilePermissions } from '#lib/process.ts'

// The reader of the output may close it early. `head` does, and so does a test that only waits for its server to start.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

restrictFilePermissions()

const program = new Command('parley')
  .description('Run and manage a Parley server.')
  .version(programVersion)
  .showHelpAfterError()
addCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  const message = explainError(error)
  if (message === null) throw error
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
