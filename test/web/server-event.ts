import type { EventOf, EventType } from '../../web/store/registration.ts'

/** Returns an event with as many of its fields as a test needs. */
export const serverEvent = <Type extends EventType>(type: Type, fields: object): EventOf<Type> =>
  ({ id: 9, type, ...fields }) as unknown as EventOf<Type>
