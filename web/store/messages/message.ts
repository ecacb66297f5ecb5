import type { AnswerOf } from '../../api/types.ts'

/** A message as `GET /messages` returns it, with the user's flags. */
export type Message = AnswerOf<'GET /messages'>['messages'][number]

/** Values of `visibility_policy` of the API: the user's setting for a topic. */
export const TopicPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const
