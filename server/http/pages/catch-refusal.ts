import { Refusal } from '../../platform/errors/refusal.ts'

/** What the work comes to, or why it was refused, for a form that is shown again with the reason. */
export async function catchRefusal<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
