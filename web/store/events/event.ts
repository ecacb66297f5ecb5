import type { AnswerOf } from '../../api/types.ts'

export type ServerEvent = AnswerOf<'GET /events'>['events'][number]

export type EventType = ServerEvent['type']

type EventByType = { [Type in EventType]: Extract<ServerEvent, { type: Type }> }

/** The events of a type. */
export type EventOf<Type extends EventType> = EventByType[Type]
