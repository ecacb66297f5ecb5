import { Refusal } from '../platform/errors/refusal.ts'
import { NEVER_KEPT, toAnswerFor } from './answer-refusal.ts'
import { proofOf } from './caller.ts'
import type { Answer, AnswerHeaders, Exchange } from './wire/exchange.ts'

/** Answers for a page outside the API, whose refusals look like those of the API. */
export async function answerPage(
  exchange: Pick<Exchange, 'path' | 'headers'>,
  answer: (headers: AnswerHeaders) => Promise<Answer>,
): Promise<Answer> {
  const headers: AnswerHeaders = { ...NEVER_KEPT }
  try {
    return await answer(headers)
  } catch (error) {
    if (error instanceof Refusal) return toAnswerFor(exchange, error, headers, proofOf(exchange))
    throw error
  }
}
