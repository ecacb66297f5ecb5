import type { Exchange } from './exchange.ts'

/** Whether the sender of the request named `encoding` among those that it takes. */
export function acceptsEncoding({ headers }: Pick<Exchange, 'headers'>, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .some(([name, ...weights]) => name === encoding && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight)))
}
