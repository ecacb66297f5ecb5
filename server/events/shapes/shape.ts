import type { EmittedOfType } from '#storage/storage.ts'
import type { SentOfType } from '../catalogue/catalogue.ts'
import type { QueueForm } from '../queues/queue.ts'

/** Converts an event of the log into the events that clients with this form receive: one, several or none. */
export type Shape<Type> = (
  payload: EmittedOfType<Type>,
  form: QueueForm,
) => SentOfType<Type> | readonly SentOfType<Type>[]
