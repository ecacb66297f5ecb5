import type { EmittedOfType } from '../../platform/storage/storage.ts'
import type { SentOfType } from '../catalogue/catalogue.ts'
import type { QueueForm } from '../queues/queue.ts'

/** Makes what a client of this form receives from an event of the log: one event, several or none. */
export type Shape<Type> = (
  payload: EmittedOfType<Type>,
  form: QueueForm,
) => SentOfType<Type> | readonly SentOfType<Type>[]
