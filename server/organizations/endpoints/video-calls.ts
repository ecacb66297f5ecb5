import { endpoint } from '../../http/endpoint.ts'
import { refusal } from '../../platform/errors/refusal.ts'

const noVideoCalls = refusal('BAD_REQUEST', 400, 'BigBlueButton is not configured.')

export const createVideoCall = endpoint({
  route: 'GET /calls/bigbluebutton/create',
  summary: 'Start a call on BigBlueButton',
  description: 'Always refused: calls take place on Jitsi servers, for which clients need no endpoint.',
  who: 'user',
  refuses: [noVideoCalls],
  handle() {
    throw noVideoCalls()
  },
})
