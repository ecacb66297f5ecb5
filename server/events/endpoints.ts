import { deleteQueue, getEvents } from './endpoints/events.ts'
import { registerQueue } from './endpoints/register.ts'

export const eventEndpoints = [registerQueue, getEvents, deleteQueue]
