import type { Endpoint } from '../http/endpoint.ts'
import { deleteQueue, getEvents } from './endpoints/events.ts'
import { registerQueue } from './endpoints/register.ts'

export const syncEndpoints: readonly Endpoint[] = [registerQueue, getEvents, deleteQueue]
