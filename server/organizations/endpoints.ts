import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { changeDefaultSettingsEndpoint } from './administration/default-settings.ts'
import { addDomainEndpoint, changeDomainEndpoint, listDomains, removeDomainEndpoint } from './administration/domains.ts'
import { listEmoji, removeEmojiEndpoint, uploadEmoji } from './administration/emoji.ts'
import {
  addLinkifierEndpoint,
  changeLinkifierEndpoint,
  listLinkifiers,
  orderLinkifiersEndpoint,
  removeLinkifierEndpoint,
} from './administration/linkifiers.ts'
import { removeIcon, removeLogo, uploadIcon, uploadLogo } from './administration/pictures.ts'
import { addPlaygroundEndpoint, removePlaygroundEndpoint } from './administration/playgrounds.ts'
import {
  addProfileFieldEndpoint,
  changeProfileFieldEndpoint,
  listProfileFields,
  orderProfileFieldsEndpoint,
  removeProfileFieldEndpoint,
} from './administration/profile-fields.ts'
import { deactivateOrganizationEndpoint, updateOrganizationEndpoint } from './administration/update-organization.ts'
import { getUsage } from './usage.ts'

// All endpoints for the administration of an organization.

const noVideoCalls = refusal('BAD_REQUEST', 400, 'BigBlueButton is not configured.')

const createVideoCall = endpoint({
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

export const organizationEndpoints = [
  updateOrganizationEndpoint,
  deactivateOrganizationEndpoint,
  uploadIcon,
  removeIcon,
  uploadLogo,
  removeLogo,
  getUsage,
  changeDefaultSettingsEndpoint,
  listDomains,
  addDomainEndpoint,
  changeDomainEndpoint,
  removeDomainEndpoint,
  listEmoji,
  uploadEmoji,
  removeEmojiEndpoint,
  listLinkifiers,
  orderLinkifiersEndpoint,
  addLinkifierEndpoint,
  changeLinkifierEndpoint,
  removeLinkifierEndpoint,
  addPlaygroundEndpoint,
  removePlaygroundEndpoint,
  listProfileFields,
  orderProfileFieldsEndpoint,
  addProfileFieldEndpoint,
  changeProfileFieldEndpoint,
  removeProfileFieldEndpoint,
  createVideoCall,
]
