import type { Exchange } from './exchange.ts'

/** Whether the sender of the request named `encoding` among those that it takes. */
export function acceptsEncoding({ headers }: Pick<Exchange, 'headers'>, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((one) => one.trim().toLowerCase().split(';')[0] === encoding && !/;\s*q=0(\.0*)?$/.test(one))
}
