import {
  addDefaultChannel,
  getChannel,
  getChannelId,
  getSubscriptionStatus,
  listChannels,
  listSubscribers,
  listSubscriptions,
  removeDefaultChannel,
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
} from '#channels/endpoints.ts'
import {
  createGroupEndpoint,
  deactivateGroupEndpoint,
  listGroupsEndpoint,
  updateGroupEndpoint,
} from '#groups/endpoints.ts'
import { listTopics } from '#messages/endpoints.ts'
import { auditLogFile } from '#organizations/audit-log.ts'
import { archiveChannelEndpoint } from './archive-channel.ts'
import { showMail } from './email-catalogue.ts'
import { externalSignInPages } from './external-sign-in-pages.ts'
import {
  changeMembersEndpoint,
  changeSubgroupsEndpoint,
  getMembership,
  listMembers,
  listSubgroups,
} from './group-members.ts'
import { joinPages } from './join-pages.ts'
import { loginPages } from './login-pages.ts'
import { operatorSignInPages } from './operator-sign-in.ts'
import { samlPages } from './saml-pages.ts'
import { showChannelsStep, submitChannelsStep } from './setup/channels-step.ts'
import { demoPages } from './setup/demo-pages.ts'
import { showJoiningStep, submitJoiningStep } from './setup/joining-step.ts'
import { newOrganizationPages } from './setup/new-organization-pages.ts'
import { showOrganizationStep, submitOrganizationStep } from './setup/organization-step.ts'
import { showOwnerStep, submitOwnerStep } from './setup/owner-step.ts'
import { signUpPages } from './sign-up-pages.ts'
import { subscribeEndpoint } from './subscribe-and-announce.ts'
import { unsubscribeEndpoint } from './unsubscribe-and-notify.ts'
import { unsubscribePages } from './unsubscribe-pages.ts'
import { updateChannelEndpoint } from './update-channel-and-notify.ts'
import { updateSubscriptions } from './update-subscriptions.ts'

// The endpoints of channels, subscriptions and groups, each list from several modules, and the pages of all workflows.

export const channelEndpoints = [
  listChannels,
  getChannel,
  updateChannelEndpoint,
  archiveChannelEndpoint,
  listSubscribers,
  getChannelId,
  listTopics,
  addDefaultChannel,
  removeDefaultChannel,
]

export const groupEndpoints = [
  createGroupEndpoint,
  listGroupsEndpoint,
  updateGroupEndpoint,
  deactivateGroupEndpoint,
  changeMembersEndpoint,
  listMembers,
  getMembership,
  listSubgroups,
  changeSubgroupsEndpoint,
]

export const subscriptionEndpoints = [
  listSubscriptions,
  subscribeEndpoint,
  updateSubscriptions,
  unsubscribeEndpoint,
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
  getSubscriptionStatus,
]

/**
 * The pages on which accounts and organizations are created, and on which recipients of emails unsubscribe, and
 * the audit log as a file.
 */
export const workflowPages = [
  ...demoPages,
  ...newOrganizationPages,
  showOrganizationStep,
  submitOrganizationStep,
  showOwnerStep,
  submitOwnerStep,
  showJoiningStep,
  submitJoiningStep,
  showChannelsStep,
  submitChannelsStep,
  ...joinPages,
  ...signUpPages,
  ...loginPages,
  ...externalSignInPages,
  ...operatorSignInPages,
  ...samlPages,
  showMail,
  auditLogFile,
  ...unsubscribePages,
]
