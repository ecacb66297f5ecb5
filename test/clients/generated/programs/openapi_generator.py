"""Runs the four operations with the client that openapi-generator makes for Python."""

import json
import os

import client

message, channel = int(os.environ["PARLEY_MESSAGE"]), int(os.environ["PARLEY_CHANNEL"])
configuration = client.Configuration(host=os.environ["PARLEY_URL"] + "/api/v1")

with client.ApiClient(configuration, "Authorization", os.environ["PARLEY_AUTHORIZATION"]) as api:
    report = client.PostUsersMePresenceBody(status="active", ping_only=True)
    presence = client.PresenceApi(api).post_users_me_presence(report)
    fetched = client.MessagesApi(api).get_messages_by_message_id(message, apply_markdown=False)
    invitation = client.PostInvitesBody(invitee_emails=os.environ["PARLEY_ADDRESS"], stream_ids=[channel])
    invited = client.InvitationsApi(api).post_invites(invitation)
    names = client.DeleteUsersMeSubscriptionsBody(subscriptions=["pub"])
    left = client.SubscriptionsApi(api).delete_users_me_subscriptions(names)

print(
    json.dumps(
        {
            "presence": presence.result,
            "content": fetched.message.content,
            "invited": invited.result,
            "removed": left.removed,
        }
    )
)
