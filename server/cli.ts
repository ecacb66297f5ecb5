import { Command } from 'commander'
import { addBackupCommand } from '#cli/backup-command.ts'
import { addDatabaseCommands } from '#cli/database-commands.ts'
import { addMailCommands } from '#cli/mail-commands.ts'
import { addOrganizationCommands } from '#cli/organization-commands.ts'
import { addServerCommands } from '#cli/server-commands.ts'
import { addUserCommands } from '#cli/user-commands.ts'
import { explainError } from '#lib/errors/operator-error.ts'
import { programVersion } from '#lib/runtime/project-root.ts'
import { restrictFilePermissions } from '#lib/security/file-permissions.ts'

// The reader of the output may close it early. `head` does, and so does a test that only waits for its server to start.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

restrictFilePermissions()

const program = new Command('parley')
  .description('Run and manage a Parley server.')
  .version(programVersion)
  .showHelpAfterError()
addOrganizationCommands(program)
addUserCommands(program)
addMailCommands(program)
addServerCommands(program)
addBackupCommand(program)
addDatabaseCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  const message = explainError(error)
  if (message === null) throw error
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
