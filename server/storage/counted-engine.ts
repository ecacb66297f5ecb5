import type { Engine, RunStatement } from './engine.ts'

/** Wraps an engine to count its statements. */
export function countedEngine(engine: Engine): Engine & { readonly statements: number } {
  let statements = 0
  const counted =
    (run: RunStatement): RunStatement =>
    (query) => {
      statements++
      return run(query)
    }
  return {
    ...engine,
    read: counted(engine.read),
    async begin(isSnapshot) {
      const open = await engine.begin(isSnapshot)
      return { ...open, run: counted(open.run) }
    },
    get statements() {
      return statements
    },
  }
}
