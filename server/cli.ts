import { Command } from 'commander'
import { Refusal } from './base/refusal.ts'
import { addBackupCommand } from './cli/backup-command.ts'
import { addDatabaseCommands } from './cli/database-commands.ts'
import { CommandFailure } from './cli/desk.ts'
import { addMailCommands } from './cli/mail-commands.ts'
import { addOrganizationCommands } from './cli/organization-commands.ts'
import { addServerCommands } from './cli/server-commands.ts'
import { addUserCommands } from './cli/user-commands.ts'
import { ImportProblem } from './importing/problem.ts'
import { StorageUnavailable } from './storage/engine.ts'

// Whoever reads the output may have had enough of it: `head`, or a test that only waits for its server to be ready.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const program = new Command('parley').description('Run and look after a Parley server.').showHelpAfterError()
addOrganizationCommands(program)
addUserCommands(program)
addMailCommands(program)
addServerCommands(program)
addBackupCommand(program)
addDatabaseCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!isForPeople(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** Whether the message says what to mend; all else is a bug, and shown with where it came from. */
function isForPeople(error: unknown): error is Error {
  const kinds = [CommandFailure, Refusal, StorageUnavailable, ImportProblem]
  if (kinds.some((kind) => error instanceof kind)) return true
  // What the system says of a file names it, and why it refuses.
  return error instanceof Error && 'syscall' in error && 'path' in error
}
