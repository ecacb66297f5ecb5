/** The changes of recipients that this process has learned of, numbered in the order of commits. */
export class RecipientChanges {
  /** All changes up to this one are known; null if that is uncertain. */
  #known: number | null = null
  /** Later changes that were announced before an earlier one. */
  readonly #early = new Set<number>()

  /** Called if the number is asked for and not known, because it could not be read. */
  onUnknown: () => void = () => undefined

  isUpTo(change: number): boolean {
    if (this.#known === null) this.onUnknown()
    return change === this.#known
  }

  note(change: number): void {
    this.#early.add(change)
    this.#advance()
  }

  /** Called when any change may have been missed. */
  forget(): void {
    this.#known = null
  }

  /** Called when all changes up to this one are known: nothing that was read before them is still remembered. */
  startAfter(change: number): void {
    this.#known = change
    this.#advance()
  }

  #advance(): void {
    if (this.#known === null) return
    while (this.#early.delete(this.#known + 1)) this.#known += 1
    for (const change of this.#early) if (change <= this.#known) this.#early.delete(change)
  }
}
