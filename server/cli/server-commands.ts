import { type Command, InvalidArgumentError } from 'commander'
import { readSettings } from '#config.ts'
import { commandLine } from '#lib/process.ts'
import { issueSetupLink } from '#workflows/set-up-organization.ts'
import { CliError, openCliContext } from './cli-context.ts'
import { print } from './output.ts'

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be a number up to 65535.')
  return port
}

const portTaken = (port: number) =>
  new CliError(`Port ${port} is already in use. Choose another with --port; 0 selects a free one.`)

/**
 * Adds the commands for the server itself. The code of the server is loaded only when they run, so that all other
 * commands start quickly.
 */
export function addServerCommands(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .option('--json', 'ignored: the output is always JSON', false)
    .action(async () => {
      const { api } = await import('#api.ts')
      const { openApiDocument } = await import('#http/openapi.ts')
      const document = openApiDocument(api, readSettings().EXTERNAL_URL)
      process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    })

  program
    .command('setup-link')
    .description('print a link to set up the first organization in a browser; valid for a day')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using context = await openCliContext()
      const url = await context.storage.transaction(issueSetupLink)
      if (url === null)
        throw new CliError(`There is already an organization. Create another with \`${commandLine('org create')}\`.`)
      if (json) print({ url }, json)
      else process.stdout.write(`${url}\n`)
    })

  program
    .command('migrate')
    .description('migrate the database to this version of the program; the server also does this when it starts')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using context = await openCliContext({ mayCreate: true })
      const rows = context.storage.migrated.map((migration) => ({ migration }))
      if (rows.length === 0 && !json) process.stdout.write('The database is up to date.\n')
      else print(rows, json)
    })

  program
    .command('test-server')
    .description('run a disposable server for tests; prints one line of JSON when it is ready')
    .option('--port <number>', 'port to listen on; 0 selects a free one', readPort, 0)
    .option('--database <url>', '`memory`, the path of a file, or postgres://…', 'memory')
    .option('--json', 'ignored: the output is always JSON', false)
    .action(async (options: { port: number; database: string }) => {
      const { startTestServer } = await import('#testing/test-server.ts')
      const server = await startTestServer(options).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EADDRINUSE' ? portTaken(options.port) : error
      })
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.once(signal, async () => {
          await server.close()
          process.exit(0)
        })
      }
      process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port, pid: process.pid })}\n`)
    })
}
