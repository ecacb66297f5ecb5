import type { Socket } from 'node:net'

/** The open connections. They are counted by network. */
export class OpenConnections extends Set<Socket> {
  readonly #networks = new WeakMap<Socket, string>()
  readonly #counts = new Map<string, number>()

  /** Adds a connection from this network. The network's count includes it as long as it is in this set. */
  addFrom(network: string, socket: Socket): void {
    this.#networks.set(socket, network)
    this.add(socket)
  }

  override add(socket: Socket): this {
    if (!this.has(socket)) this.#count(socket, 1)
    return super.add(socket)
  }

  override delete(socket: Socket): boolean {
    if (this.has(socket)) this.#count(socket, -1)
    return super.delete(socket)
  }

  countFrom(network: string): number {
    return this.#counts.get(network) ?? 0
  }

  #count(socket: Socket, change: number): void {
    const network = this.#networks.get(socket)
    if (network === undefined) return
    const count = this.countFrom(network) + change
    if (count > 0) this.#counts.set(network, count)
    else this.#counts.delete(network)
  }
}
