import { deleteQueue, getEvents } from './endpoints/events.ts'
import { registerQueue } from './endpoints/register.ts'

export const syncEndpoints = [registerQueue, getEvents, deleteQueue]
