import { Refusal } from '../../base/refusal.ts'
import { toAnswer } from '../dispatch.ts'
import type { Answer } from './exchange.ts'

/** Answers for a page outside the API, whose refusals look like those of the API. */
export async function answerPage(answer: (headers: Record<string, string>) => Promise<Answer>): Promise<Answer> {
  const headers: Record<string, string> = {}
  try {
    return await answer(headers)
  } catch (error) {
    if (error instanceof Refusal) return toAnswer(error, headers)
    throw error
  }
}
