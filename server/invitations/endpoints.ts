import { getInvitationChoices } from './endpoints/choices.ts'
import { listDeliveries } from './endpoints/deliveries.ts'
import { listEndedInvitations } from './endpoints/ended-invitations.ts'
import { createLinkEndpoint, extendLinkEndpoint, revokeLinkEndpoint } from './endpoints/links.ts'
import {
  extendInvitationEndpoint,
  listInvitations,
  resendInvitationEndpoint,
  revokeInvitationEndpoint,
} from './endpoints/manage-invitations.ts'
import { previewInvitationEndpoint } from './endpoints/preview.ts'
import { sendInvitationsEndpoint } from './endpoints/send-invitations.ts'

export const invitationEndpoints = [
  sendInvitationsEndpoint,
  listInvitations,
  listEndedInvitations,
  listDeliveries,
  getInvitationChoices,
  previewInvitationEndpoint,
  resendInvitationEndpoint,
  extendInvitationEndpoint,
  revokeInvitationEndpoint,
  createLinkEndpoint,
  extendLinkEndpoint,
  revokeLinkEndpoint,
]
