import type { Endpoint } from '../http/endpoint.ts'
import { deleteQueue, getEvents } from './endpoints/events.ts'

export const syncEndpoints: readonly Endpoint[] = [getEvents, deleteQueue]
