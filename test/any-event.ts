import type { EmittedEvent } from '#storage/storage.ts'

/** Returns an event that the catalogue does not have, for tests of the storage and the event log, which take any. */
export const anyEvent = (type: string, fields: object = {}): EmittedEvent =>
  ({ type, ...fields }) as unknown as EmittedEvent
