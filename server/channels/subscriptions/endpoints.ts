import { addSubscriptions } from './endpoints/add-subscriptions.ts'
import { getSubscriptionStatus } from './endpoints/get-subscription-status.ts'
import { listSubscriptions } from './endpoints/list-subscriptions.ts'
import { removeSubscriptions } from './endpoints/remove-subscriptions.ts'
import {
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
} from './endpoints/set-subscription-properties.ts'
import { updateSubscriptions } from './endpoints/update-subscriptions.ts'

export const subscriptionEndpoints = [
  listSubscriptions,
  addSubscriptions,
  updateSubscriptions,
  removeSubscriptions,
  setSubscriptionPropertiesEndpoint,
  setSubscriptionPropertyEndpoint,
  getSubscriptionStatus,
]
