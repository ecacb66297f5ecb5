import { changeDefaultSettingsEndpoint } from './endpoints/default-settings.ts'
import { addDomainEndpoint, changeDomainEndpoint, listDomains, removeDomainEndpoint } from './endpoints/domains.ts'
import { listEmoji, removeEmojiEndpoint, uploadEmoji } from './endpoints/emoji.ts'
import {
  addLinkifierEndpoint,
  changeLinkifierEndpoint,
  listLinkifiers,
  orderLinkifiersEndpoint,
  removeLinkifierEndpoint,
} from './endpoints/linkifiers.ts'
import { removeIcon, removeLogo, uploadIcon, uploadLogo } from './endpoints/pictures.ts'
import { addPlaygroundEndpoint, removePlaygroundEndpoint } from './endpoints/playgrounds.ts'
import {
  addProfileFieldEndpoint,
  changeProfileFieldEndpoint,
  listProfileFields,
  orderProfileFieldsEndpoint,
  removeProfileFieldEndpoint,
} from './endpoints/profile-fields.ts'
import { deactivateOrganizationEndpoint, updateOrganizationEndpoint } from './endpoints/settings.ts'
import { getUsage } from './endpoints/usage.ts'
import { createVideoCall } from './endpoints/video-calls.ts'

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
