import { changeDefaultSettings } from './endpoints/default-settings.ts'
import { addDomain, changeDomain, listDomains, removeDomain } from './endpoints/domains.ts'
import { listEmoji, removeEmoji, uploadEmoji } from './endpoints/emoji.ts'
import { listExportConsents, listExports, startExport } from './endpoints/exports.ts'
import {
  addLinkifier,
  changeLinkifier,
  listLinkifiers,
  orderLinkifiers,
  removeLinkifier,
} from './endpoints/linkifiers.ts'
import { addPlayground, removePlayground } from './endpoints/playgrounds.ts'
import {
  addProfileField,
  changeProfileField,
  listProfileFields,
  orderProfileFields,
  removeProfileField,
} from './endpoints/profile-fields.ts'
import { deactivateOrganization, updateOrganization } from './endpoints/settings.ts'
import { createVideoCall } from './endpoints/video-calls.ts'

export const organizationEndpoints = [
  updateOrganization,
  deactivateOrganization,
  changeDefaultSettings,
  listDomains,
  addDomain,
  changeDomain,
  removeDomain,
  listEmoji,
  uploadEmoji,
  removeEmoji,
  listLinkifiers,
  orderLinkifiers,
  addLinkifier,
  changeLinkifier,
  removeLinkifier,
  addPlayground,
  removePlayground,
  listProfileFields,
  orderProfileFields,
  addProfileField,
  changeProfileField,
  removeProfileField,
  listExports,
  startExport,
  listExportConsents,
  createVideoCall,
]
