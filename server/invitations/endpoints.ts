import { listDeliveries } from './endpoints/deliveries.ts'
import { createLinkEndpoint, extendLinkEndpoint, revokeLinkEndpoint } from './endpoints/links.ts'
import {
  extendInvitationEndpoint,
  listInvitations,
  resendInvitationEndpoint,
  revokeInvitationEndpoint,
} from './endpoints/manage-invitations.ts'
import { sendInvitationsEndpoint } from './endpoints/send-invitations.ts'

export const invitationEndpoints = [
  sendInvitationsEndpoint,
  listInvitations,
  listDeliveries,
  resendInvitationEndpoint,
  extendInvitationEndpoint,
  revokeInvitationEndpoint,
  createLinkEndpoint,
  extendLinkEndpoint,
  revokeLinkEndpoint,
]
