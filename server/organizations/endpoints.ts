import { changeDefaultSettingsEndpoint } from './administration/default-settings.ts'
import { addDomainEndpoint, changeDomainEndpoint, listDomains, removeDomainEndpoint } from './administration/domains.ts'
import { listEmoji, removeEmojiEndpoint, uploadEmoji } from './administration/emoji.ts'
import { removeIcon, removeLogo, uploadIcon, uploadLogo } from './administration/icons-and-logos.ts'
import {
  addLinkifierEndpoint,
  changeLinkifierEndpoint,
  listLinkifiers,
  orderLinkifiersEndpoint,
  removeLinkifierEndpoint,
} from './administration/linkifiers.ts'
import { addPlaygroundEndpoint, removePlaygroundEndpoint } from './administration/playgrounds.ts'
import {
  addProfileFieldEndpoint,
  changeProfileFieldEndpoint,
  listProfileFields,
  orderProfileFieldsEndpoint,
  removeProfileFieldEndpoint,
} from './administration/profile-fields.ts'
import {
  addSignInProvider,
  changeSignInProvider,
  deleteSignInProvider,
  listSignInProviders,
  testSignInProvider,
} from './administration/sign-in-providers.ts'
import { deactivateOrganizationEndpoint, updateOrganizationEndpoint } from './administration/update-organization.ts'
import { getAuditLog } from './audit-log.ts'
import { getUsage } from './usage.ts'

// All endpoints for the administration of an organization.

export const organizationEndpoints = [
  updateOrganizationEndpoint,
  deactivateOrganizationEndpoint,
  uploadIcon,
  removeIcon,
  uploadLogo,
  removeLogo,
  getUsage,
  getAuditLog,
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
  listSignInProviders,
  addSignInProvider,
  changeSignInProvider,
  deleteSignInProvider,
  testSignInProvider,
]
