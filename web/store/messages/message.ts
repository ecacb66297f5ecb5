import type { AnswerOf } from '../../api/types.ts'

/** A message as `GET /messages` answers it, with one's own flags. */
export type Message = AnswerOf<'GET /messages'>['messages'][number]

/** `visibility_policy` of the API: what one has decided about a topic. */
export const TopicPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const
