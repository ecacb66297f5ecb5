import type { AnswerOf } from '../../api/types.ts'

export type ServerEvent = AnswerOf<'GET /events'>['events'][number]
