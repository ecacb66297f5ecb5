import {
  addDefaultChannel,
  getChannel,
  getChannelEmailAddress,
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
import { archiveChannelEndpoint } from './archive-channel.ts'
import {
  changeMembersEndpoint,
  changeSubgroupsEndpoint,
  getMembership,
  listMembers,
  listSubgroups,
} from './group-members.ts'
import { addSubscriptions } from './join-channels.ts'
import { removeSubscriptions } from './leave-channels.ts'
import { showChannelsStep, submitChannelsStep } from './setup/channels-step.ts'
import { showJoiningStep, submitJoiningStep } from './setup/joining-step.ts'
import { showOrganizationStep, submitOrganizationStep } from './setup/organization-step.ts'
import { showOwnerStep, submitOwnerStep } from './setup/owner-step.ts'
import { updateChannelEndpoint } from './update-channel.ts'
import { updateSubscriptions } from './update-subscriptions.ts'

// The endpoints of channels, subscriptions and groups, each list from several modules, and the pages of the setup.

export const channelEndpoints = [
  listChannels,
  getChannel,
  updateChannelEndpoint,
  archiveChannelEndpoint,
  listSubscribers,
  getChannelId,
  getChannelEmailAddress,
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
  addSubscriptions,
  updateSubscriptions,
  removeSubscriptions,
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
  getSubscriptionStatus,
]

export const setupPages = [
  showOrganizationStep,
  submitOrganizationStep,
  showOwnerStep,
  submitOwnerStep,
  showJoiningStep,
  submitJoiningStep,
  showChannelsStep,
  submitChannelsStep,
]
