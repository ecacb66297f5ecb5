import { getMessage } from './endpoints/get-message.ts'
import { sendMessage } from './endpoints/send-message.ts'

export const messageEndpoints = [getMessage, sendMessage]
