import { Command, CommanderError } from 'commander'
import { UsageError } from '#cli/cli-context.ts'
import { addCommands } from '#cli/commands.ts'
import { loadEnvironmentFile } from '#config.ts'
import { AlreadyRunning, explainError, Refusal, TRY_AGAIN_LATER } from '#lib/errors.ts'
import { commandLine, programVersion, restrictFilePermissions, versionDetails } from '#lib/process.ts'

// The reader of the output may close it early. `head` does, and so does a test that only waits for its server to start.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

restrictFilePermissions()

const program: Command = new Command('parley')
  .description('Run and manage a Parley server.')
  .version(`Parley ${programVersion}, ${versionDetails}`)
  .showHelpAfterError(
    `\`${commandLine('--help')}\` and \`${commandLine('COMMAND --help')}\` list commands and options.`,
  )
  // Not --env-file, which Node.js reads itself wherever it stands.
  .option('--settings-file <path>', 'read settings from this file, unless the environment has them; as PARLEY_ENV_FILE')
  .hook('preAction', () => {
    loadEnvironmentFile(program.opts<{ settingsFile?: string }>().settingsFile)
  })
  .exitOverride()
program
  .command('start')
  .description('start the server, as without a command; its settings are environment variables')
  .action(async () => {
    process.argv.splice(2)
    await import('./main.ts')
  })
addCommands(program)

/** The exit codes besides 0, which says that the command did everything it was asked to. */
const [FAILED, WRONG_USE] = [1, 2]

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // The parser has printed the mistake, or the help that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE
  } else {
    const message = explainError(error)
    if (message === null) throw error
    const details = error instanceof Refusal ? Object.entries(error.extras) : []
    const lines = [message, ...details.map(([name, value]) => `${name}: ${JSON.stringify(value)}`)]
    process.stderr.write(`${lines.join('\n')}\n`)
    process.exitCode =
      error instanceof UsageError ? WRONG_USE : error instanceof AlreadyRunning ? TRY_AGAIN_LATER : FAILED
  }
}
