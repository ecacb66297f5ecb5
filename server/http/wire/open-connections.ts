import type { Socket } from 'node:net'

/** The connections that are open, counted by the place that they come from. */
export class OpenConnections extends Set<Socket> {
  readonly #places = new WeakMap<Socket, string>()
  readonly #counts = new Map<string, number>()

  /** Adds a connection that counts as one from this place whenever it is among the open ones. */
  addFrom(place: string, socket: Socket): void {
    this.#places.set(socket, place)
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

  countFrom(place: string): number {
    return this.#counts.get(place) ?? 0
  }

  #count(socket: Socket, change: number): void {
    const place = this.#places.get(socket)
    if (place === undefined) return
    const count = this.countFrom(place) + change
    if (count > 0) this.#counts.set(place, count)
    else this.#counts.delete(place)
  }
}
