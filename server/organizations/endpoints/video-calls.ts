import { endpoint } from '../../http/endpoint.ts'
import { refusal } from '../../platform/errors/refusal.ts'

const noVideoCalls = refusal('BAD_REQUEST', 400, 'BigBlueButton is not configured.')

export const createVideoCall = endpoint({
  route: 'GET /calls/bigbluebutton/create',
  summary: 'Start a video call',
  description: 'Always refused, because video calls are not supported.',
  who: 'user',
  refuses: [noVideoCalls],
  handle() {
    throw noVideoCalls()
  },
})
