import { addDomain, changeDomain, listDomains, removeDomain } from './endpoints/domains.ts'
import { listEmoji, removeEmoji, uploadEmoji } from './endpoints/emoji.ts'
import {
  addLinkifier,
  changeLinkifier,
  listLinkifiers,
  orderLinkifiers,
  removeLinkifier,
} from './endpoints/linkifiers.ts'
import { deactivateOrganization, updateOrganization } from './endpoints/settings.ts'

export const organizationEndpoints = [
  updateOrganization,
  deactivateOrganization,
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
]
