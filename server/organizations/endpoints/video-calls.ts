import { refusal } from '../../base/refusal.ts'
import { endpoint } from '../../http/endpoint.ts'

const noExports = refusal('BAD_REQUEST', 400, 'Exports are not available on this server yet.')
const noVideoCalls = refusal('BAD_REQUEST', 400, 'BigBlueButton is not configured.')

const listExports = endpoint({
  route: 'GET /export/realm',
  summary: 'List the exports of the organization',
  description: 'Always refused: there are none yet.',
  who: 'user',
  refuses: [noExports],
  handle() {
    throw noExports()
  },
})

const startExport = endpoint({
  route: 'POST /export/realm',
  summary: 'Export the organization',
  description: 'Always refused: it cannot be done yet.',
  who: 'user',
  refuses: [noExports],
  handle() {
    throw noExports()
  },
})

const listExportConsents = endpoint({
  route: 'GET /export/realm/consents',
  summary: 'List who agrees to the export of their private data',
  description: 'Always refused: there are no exports yet.',
  who: 'user',
  refuses: [noExports],
  handle() {
    throw noExports()
  },
})

const createVideoCall = endpoint({
  route: 'GET /calls/bigbluebutton/create',
  summary: 'Begin a video call',
  description: 'Always refused: there are no video calls.',
  who: 'user',
  refuses: [noVideoCalls],
  handle() {
    throw noVideoCalls()
  },
})

/** What clients may ask for and is told that it is not there. */
export const unavailableOperations = [listExports, startExport, listExportConsents, createVideoCall]
