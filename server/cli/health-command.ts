import type { Command } from 'commander'
import { readSettings, type Settings } from '#config.ts'
import { CliError } from './cli-context.ts'
import { jsonOption } from './output.ts'

/** Seconds after which a server counts as not answering. */
const TIME_LIMIT = 5

/** Hosts that are no addresses to connect to, but say that a server listens on all of them. */
const ALL_ADDRESSES = ['0.0.0.0', '::', '*']

/** Returns the address at which the server with these settings listens, seen from its own machine. */
export function findOwnAddress({ PORT: port, LISTEN_HOST: host }: Pick<Settings, 'PORT' | 'LISTEN_HOST'>): string {
  if (port === 0) throw new CliError('With PORT=0, the server has chosen its port itself: add its address.')
  const name = ALL_ADDRESSES.includes(host) ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Adds `health`, which container engines and supervisors run to find out whether the server is ready. */
export function addHealthCommand(program: Command): void {
  program
    .command('health')
    .description('print the state of the running server; the exit code is 0 if it is ready, else 1')
    .argument('[url]', 'address of a server; the one of these settings if omitted')
    .addOption(jsonOption())
    .action(async (given: string | undefined, { json }: { json: boolean }) => {
      const url = `${(given ?? findOwnAddress(readSettings())).replace(/\/+$/, '')}/health`
      const { status, text } = await ask(url)
      if (json) process.stdout.write(`${JSON.stringify({ ready: status === 200, status, text })}\n`)
      else process.stdout.write(text)
      if (status !== 200) throw new CliError(`The server is not ready (${url} responds ${status}).`)
    })
}

async function ask(url: string): Promise<{ status: number; text: string }> {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CliError(`${url} is no address: it begins with http(s)://.`)
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIME_LIMIT * 1000) })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    throw new CliError(`${url} does not answer: ${reasonOf(error as Error)}`, { cause: error })
  }
}

/** Returns why a request failed. What was tried at several addresses failed for several reasons. */
function reasonOf({ cause, name, message }: Error): string {
  if (name === 'TimeoutError') return `nothing came within ${TIME_LIMIT} seconds`
  const [reason] = cause instanceof AggregateError ? cause.errors : [cause]
  return reason instanceof Error ? reason.message : message
}
