import { isIP } from 'node:net'
import type { Command } from 'commander'
import { readSettings, type Settings, servesHttps } from '#config.ts'
import { CliError } from './cli-context.ts'
import { ALL_ADDRESSES, ask } from './doctor/ask.ts'
import { reasonOf } from './doctor/check.ts'
import { jsonOption } from './output.ts'

/** Seconds after which a server counts as not answering. */
const TIME_LIMIT = 5

/**
 * Returns the URL of the server with these settings, seen from its own machine. With https, it has the name of the
 * certificate, and `address` is where to connect.
 */
export function findOwnAddress(
  settings: Pick<Settings, 'PORT' | 'LISTEN_HOST' | 'EXTERNAL_URL' | 'HTTPS' | 'HTTPS_CERT'>,
): { url: string; address?: string } {
  const { PORT: port, LISTEN_HOST: host } = settings
  if (port === 0) throw new CliError('With PORT=0, the server has chosen its port itself: add its address.')
  const name = ALL_ADDRESSES.includes(host) ? 'localhost' : host
  if (servesHttps(settings)) {
    const { hostname } = new URL(settings.EXTERNAL_URL)
    return { url: `https://${hostname}:${port}`, address: isIP(name) === 0 ? '127.0.0.1' : name }
  }
  return { url: `http://${name.includes(':') ? `[${name}]` : name}:${port}` }
}

/** Adds `health`, which container engines and supervisors run to find out whether the server is ready. */
export function addHealthCommand(program: Command): void {
  program
    .command('health')
    .description('print the state of the running server; the exit code is 0 if it is ready, else 1')
    .argument('[url]', 'address of a server; the one of these settings if omitted')
    .addOption(jsonOption())
    .action(async (given: string | undefined, { json }: { json: boolean }) => {
      const { url: base, ...there } = given === undefined ? findOwnAddress(readSettings()) : { url: given }
      const url = `${base.replace(/\/+$/, '')}/health`
      const { status, text } = await askHealth(url, there)
      if (json) process.stdout.write(`${JSON.stringify({ ready: status === 200, status, text })}\n`)
      else process.stdout.write(text)
      if (status !== 200) throw new CliError(`The server is not ready (${url} responds ${status}).`)
    })
}

async function askHealth(url: string, there: { address?: string }): Promise<{ status: number; text: string }> {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CliError(`${url} is not the address of a server, which begins with http(s)://.`)
  try {
    const { status, body } = await ask(url, { ...there, seconds: TIME_LIMIT })
    return { status, text: String(body) }
  } catch (error) {
    throw new CliError(`${url} does not answer: ${reasonOf(error)}`, { cause: error })
  }
}
