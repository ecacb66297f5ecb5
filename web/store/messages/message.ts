import type { AnswerOf } from '../../api/types.ts'

/** A message as `GET /messages` answers it, with one's own flags. */
export type Message = AnswerOf<'GET /messages'>['messages'][number]
