import type { AnswerOf } from '../../api/types.ts'

export type ServerEvent = AnswerOf<'GET /events'>['events'][number]

export type EventType = ServerEvent['type']

type EventByType = { [Type in EventType]: Extract<ServerEvent, { type: Type }> }

export type EventOf<Type extends EventType> = EventByType[Type]
