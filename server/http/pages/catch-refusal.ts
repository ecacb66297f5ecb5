import { Refusal } from '#lib/errors/refusal.ts'

/** Returns the result or the refusal, for a form that is shown again with the error. */
export async function catchRefusal<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
