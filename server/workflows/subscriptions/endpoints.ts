import { getSubscriptionStatus } from '#channels/endpoints/get-subscription-status.ts'
import { listSubscriptions } from '#channels/endpoints/list-subscriptions.ts'
import {
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
} from '#channels/endpoints/set-subscription-properties.ts'
import { addSubscriptions } from './add-subscriptions.ts'
import { removeSubscriptions } from './remove-subscriptions.ts'
import { updateSubscriptions } from './update-subscriptions.ts'

export const subscriptionEndpoints = [
  listSubscriptions,
  addSubscriptions,
  updateSubscriptions,
  removeSubscriptions,
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
  getSubscriptionStatus,
]
