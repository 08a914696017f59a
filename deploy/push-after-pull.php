<?php
/**
 * For the legacy site's own pull jobs: send the day that was just pulled, so that uploads follow whatever times people
 * set there. Include this file and call it last:
 *
 *     attsync_push(date('Y-m-d'));
 *
 * It starts a process of its own and returns at once: a failure, or a line that is down, cannot hurt the pull. Two at
 * once are safe. The job must run as the user of the agent's cron lines, which is root.
 */
function attsync_push(string $day): void
{
    if (!preg_match('/\A[0-9]{4}-[0-9]{2}-[0-9]{2}\z/', $day)) {
        return;
    }
    $agent = '/opt/attsync/venv/bin/python /opt/attsync/manage.py';
    exec("$agent push_cloud $day >> /var/log/attsync/push_cloud.log 2>&1 < /dev/null &");
}
