import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'

const noVideoCalls = refusal('BAD_REQUEST', 400, 'BigBlueButton is not configured.')

export const createVideoCall = endpoint({
  route: 'GET /calls/bigbluebutton/create',
  summary: 'Start a call on BigBlueButton',
  description:
    'Always refused: this server does not support BigBlueButton. Calls take place on Jitsi servers, for which clients need no endpoint.',
  who: 'user',
  params: {
    meeting_name: z.string().describe('The name of the call.'),
    voice_only: z.boolean().default(false).describe('Whether the call starts without cameras.'),
  },
  refuses: [noVideoCalls],
  handle() {
    throw noVideoCalls()
  },
})
