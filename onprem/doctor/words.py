"""The doctor's sentences, Thai and English, by name."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "all_good": ("ปกติทุกข้อ", "nothing is wrong"),
    "wrong": ("มี {count} ข้อต้องแก้", "{count} things to mend"),
    # --- surroundings ---
    "settings_good": ("ค่าตั้งครบ ส่งไปที่ {url}", "settings complete, sending to {url}"),
    "settings_bad": ("ค่าตั้งใน .env ใช้ไม่ได้: {words}", "the settings in .env cannot be used: {words}"),
    "state_good": ("โฟลเดอร์สถานะ {path} เขียนได้", "state directory {path} can be written"),
    "state_none": (
        "ยังไม่มีโฟลเดอร์สถานะ {path} จะถูกสร้างเมื่อรันครั้งแรก",
        "there is no state directory {path} yet, the first run makes it",
    ),
    "state_bad": (
        "เขียนโฟลเดอร์สถานะ {path} ไม่ได้ ({words}) ตัวส่งจะไม่ทำงาน",
        "state directory {path} cannot be written ({words}): the agent will not work",
    ),
    "disk_full": ("ดิสก์ของ {path} เหลือแค่ {mib} MiB", "only {mib} MiB are left on the disk of {path}"),
    "lock_busy": ("ตัวส่งกำลังทำงานอยู่ตอนนี้", "the agent is at work right now"),
    "lock_free": ("ไม่มีตัวส่งทำงานค้างอยู่", "no run is going on"),
    "success_never": ("ยังไม่เคยส่งสำเร็จ", "nothing was ever sent successfully"),
    "success_old": (
        "ส่งสำเร็จครั้งสุดท้ายของวันที่ {day} มี {owed} วันค้างส่ง",
        "the last success was for {day}; {owed} days are owed",
    ),
    "success_good": ("ส่งสำเร็จครั้งสุดท้ายของวันที่ {day}", "the last success was for {day}"),
    "cron_good": ("บรรทัดของเราใน cron ครบ {count} บรรทัดและจะอยู่รอด", "our {count} cron lines are there and will stay"),
    "cron_missing": (
        "ยังไม่มีบรรทัดนี้ใน cron: {lines} (manage.py crontab install)",
        "not in cron yet: {lines} (manage.py crontab install)",
    ),
    "cron_doomed": (
        "บรรทัดนี้ใน cron ใช้ไม่ได้ ({words}): {line} (manage.py crontab install)",
        "this cron line will not work ({words}): {line} (manage.py crontab install)",
    ),
    "cron_by_hand": (
        "บรรทัดนี้ใน cron ใช้ไม่ได้ ({words}): {line} (อยู่นอกบล็อกของเรา ต้องลบเอง)",
        "this cron line will not work ({words}): {line} (it stands outside our block: delete it by hand)",
    ),
    "cron_unknown": ("อ่าน crontab ไม่ได้: {words}", "the crontab cannot be read: {words}"),
    # --- the jobs ---
    "jobs_good": ("งานตามเวลา {count} งาน ไม่มีอะไรค้าง", "{count} scheduled jobs, nothing is left undone"),
    "jobs_bad": ("รายการงานตามเวลาใช้ไม่ได้: {words}", "the list of jobs cannot be used: {words}"),
    "job_program": ("งาน {job}: ไม่พบโปรแกรม {program}", "job {job}: there is no program {program}"),
    "job_managed": (
        "{job} ใช้ไม่ได้ ({words}) เอาออกจาก ONPREM_JOBS_FILE",
        "{job} in ONPREM_JOBS_FILE {words}",
    ),
    "jobs_zone": (
        "เขตเวลาของเครื่องไม่ใช่ {zone} cron จึงเริ่มงานคนละเวลา (timedatectl set-timezone {zone})",
        "this machine's time zone is not {zone}: cron starts jobs at other times (timedatectl set-timezone {zone})",
    ),
    "pass_never": (
        "catchup ยังไม่เคยทำงาน งานที่พลาดจะไม่ถูกทำย้อนหลัง",
        "catchup has never run: what is missed will stay missed",
    ),
    "pass_old": (
        "catchup ทำงานครั้งสุดท้ายเมื่อ {minutes} นาทีก่อน บรรทัดใน cron หายไปหรือไม่",
        "catchup ran {minutes} minutes ago for the last time: is its cron line gone?",
    ),
    "pass_ahead": (
        "catchup ทำงานครั้งสุดท้ายล้ำหน้านาฬิกานี้ {minutes} นาที นาฬิกาเคยผิดหรือไม่",
        "catchup ran last at a moment {minutes} minutes ahead of this clock: was the clock wrong?",
    ),
    "jobs_clock": (
        "วางแผนงานด้วยนาฬิกานี้ไม่ได้: {words} ถ้านาฬิกาถูกแล้ว: manage.py catchup --accept-clock",
        "no job is planned by this clock: {words}. If it is right: manage.py catchup --accept-clock",
    ),
    "floor_ahead": (
        "งาน {job} นับรอบตั้งแต่ {floor} ซึ่งยังมาไม่ถึง (manage.py catchup --baseline --only {job} --force)",
        "job {job} counts only from {floor} on, still to come (manage.py catchup --baseline --only {job} --force)",
    ),
    "slots_given_up": (
        "งาน {job}: ทำไม่สำเร็จจนเลิกลอง {exhausted} รอบ เก่าเกินไปแล้ว {expired} รอบ (manage.py catchup --status)",
        "job {job}: {exhausted} runs given up, {expired} too old to be run (manage.py catchup --status)",
    ),
    "line_gone": (
        "งาน {job}: สามรอบล่าสุดทำโดย catchup เท่านั้น บรรทัดของงานใน cron หายไปหรือไม่",
        "job {job}: its last three runs were catchup's alone; is its own cron line gone?",
    ),
    # --- the cloud ---
    "cloud_good": ("ติดต่อคลาวด์ได้และคีย์ใช้ได้", "the cloud answers and accepts our key"),
    "cloud_bad": ("ติดต่อคลาวด์ไม่ได้: {words}", "the cloud cannot be used: {words}"),
    "key_refused": (
        "คลาวด์ไม่รับคีย์ของเรา: ATTSYNC_KEY ต้องตรงกับของคลาวด์ ({words})",
        "the cloud refuses our key: ATTSYNC_KEY must be the same on both sides ({words})",
    ),
    "clock_good": ("นาฬิกาตรงกับคลาวด์ (ต่าง {seconds} วินาที)", "the clock agrees with the cloud's ({seconds} s apart)"),
    "clock_off": (
        "นาฬิกาเครื่องนี้ต่างจากคลาวด์ {words} ตั้งเวลาใหม่ (timedatectl set-ntp true)",
        "this machine's clock is {words} off the cloud's: set it (timedatectl set-ntp true)",
    ),
    # --- the factory's database ---
    "database_good": ("ฐานข้อมูลโรงงาน: {version}", "factory database: {version}"),
    "database_bad": ("เข้าฐานข้อมูลโรงงานไม่ได้: {words}", "the factory's database cannot be reached: {words}"),
    "database_clock": (
        "นาฬิกาของเครื่องฐานข้อมูลต่างจากเครื่องนี้ {words}",
        "the clock of the database server is {words} off this machine's",
    ),
    "relation_good": ("{relation}: {rows} แถว คอลัมน์ครบ", "{relation}: {rows} rows, all columns there"),
    "relation_empty": ("{relation}: อ่านได้แต่ไม่มีแถวเลย", "{relation}: can be read but has no rows"),
    "relation_bad": ("{relation} ใช้ไม่ได้: {words}", "{relation} cannot be used: {words}"),
    "column_bad": ("{relation}: ไม่มีคอลัมน์ {columns}", "{relation}: column {columns} is missing"),
    "pull_missing": (
        "ไม่มี {relation} หรือไม่มีสิทธิ์อ่าน (ไม่บังคับ): ช่วงเวลาจะถือว่าจบหลังสิ้นสุด 10 นาที",
        "there is no {relation}, or no right to read it (optional): windows settle ten minutes after their end",
    ),
    "dayoff_missing": (
        "ไม่มี {relation} หรือไม่มีสิทธิ์อ่าน (ไม่บังคับ): จะไม่รู้วันหยุดและวันลา",
        "there is no {relation}, or no right to read it (optional): holidays and leave are not known",
    ),
    "optional_gone": (
        "{relation} เคยอ่านได้แต่หายไป ({words}): นำกลับมา หรือถ้าตั้งใจเอาออกให้รัน push_cloud --force หนึ่งครั้ง",
        "{relation} could be read before and is gone ({words}): bring it back, or run push_cloud --force once",
    ),
    "override_good": ("{relation} เขียนได้ตามสิทธิ์ที่ต้องใช้", "{relation} can be written"),
    "override_bad": ("{relation}: {command} ไม่ได้: {words}", "{relation}: no {command}: {words}"),
    "override_numeric": (
        "{relation}.emp_no เป็นตัวเลข ({declared}): 0012 จะกลายเป็น 12 ซึ่งเป็นคนอื่น ให้เปลี่ยนเป็น VARCHAR(32)",
        "{relation}.emp_no is a number ({declared}): 0012 would become 12, somebody else; make it VARCHAR(32)",
    ),
    "override_unfit": (
        "{relation}.{column} เป็น {declared} เก็บค่านี้ไม่ได้: {words}",
        "{relation}.{column} is {declared}, which cannot hold: {words}",
    ),
    "grants_wide": (
        "บัญชีนี้มีสิทธิ์เกินจำเป็น: {words} (ดู onprem/sql/grants.sql)",
        "this account may do more than it needs: {words} (see onprem/sql/grants.sql)",
    ),
    # --- people ---
    "sample": ("ตัวอย่าง: {rows}", "a sample: {rows}"),
    "charset_good": ("ตัวอักษรไทยอ่านถูก", "the letters are read right"),
    "charset_bad": (
        "{relation}.{column} อ่านผิดรหัสตัวอักษร {count} แถว เช่น {seen} {guess}(แก้ใน view ดู onprem/sql/README.md)",
        "{relation}.{column} is read in a wrong charset in {count} rows: {seen} {guess}(see onprem/sql/README.md)",
    ),
    "collision": (
        "เลขเครื่องสแกนซ้ำกันหลายคน สแกนจะไม่เป็นของใคร: {words}",
        "one device number on several people, whose scans nobody gets: {words}",
    ),
    "folding": (
        "รหัสต่างกันแค่ศูนย์นำหน้า ถือเป็นคนละคน: {words}",
        "numbers that differ by leading zeros only are different people to us: {words}",
    ),
    "no_device": ("{count} คนไม่มีเลขเครื่องสแกน: {words}", "{count} people have no device number: {words}"),
    "lost_shift": (
        "กะ {words} ไม่มีช่วงเวลาของตัวเอง คนในกะนี้จะไม่ถูกนับในช่วงของกะใด",
        "shift {words} has no window of its own: its people are expected only where everyone is",
    ),
    # --- windows ---
    "windows_good": ("ช่วงเวลา: {words}", "windows: {words}"),
    "windows_bad": ("ช่วงเวลาใช้ไม่ได้: {words}", "the windows cannot be used: {words}"),
    "late_outside": (
        "ช่วง {code}: เวลาเริ่มสาย {late} อยู่นอกช่วง {span}",
        "period {code}: late after {late} lies outside its window {span}",
    ),
    # --- rows of the last days ---
    "bad_rows": ("แถวที่อ่านไม่ได้ {count} แถว: {words}", "{count} rows mean nothing: {words}"),
    "scans_none": ("ไม่มีสแกนเลยใน {days} วัน", "there is no scan in {days} days"),
    "scans_good": ("สแกน {count} ครั้งใน {days} วัน รู้ว่าของใครทั้งหมด", "{count} scans in {days} days, all of known people"),
    "unmatched": (
        "สแกน {count} จาก {all} ครั้งไม่รู้ว่าของใคร เลข: {words}",
        "{count} of {all} scans belong to nobody we know, numbers: {words}",
    ),
    "unmatched_zeros": (
        "เลขที่ไม่รู้จักตรงกับคนถ้าตัดศูนย์นำหน้า ({words}) ให้ view แปลงเลข",
        "unknown numbers would match people without leading zeros ({words}): let the view fold them",
    ),
    "duplicates": ("สแกนซ้ำ {count} แถว (นับครั้งเดียว)", "{count} scans are there twice (counted once)"),
    "future": (
        "สแกนจากอนาคต {count} แถว นาฬิกาเครื่องสแกนผิด: {words}",
        "{count} scans are from the future, a terminal's clock is wrong: {words}",
    ),
    "ancient": ("สแกนก่อนปี 2000 {count} แถว: {words}", "{count} scans are from before 2000: {words}"),
    "hours_off": (
        "สแกนของ {terminal} คลาดไป {hours} ชั่วโมง ({inside} จาก {all} ครั้งจะเข้าช่วงถ้าเลื่อน)",
        "the scans of {terminal} are {hours} hours off ({inside} of {all} would fall into a window if moved)",
    ),
    "dead_terminal": ("เครื่องสแกนเงียบเกิน 24 ชั่วโมง: {words}", "terminals not heard for 24 hours: {words}"),
    "unknown_marks": (
        "ค่าแก้ไขที่ไม่รู้จัก {count} แถว (ไม่นับ ไม่ลบ): {words}",
        "{count} marks with words we do not know (not counted, not deleted): {words}",
    ),
    "double_marks": (
        "มีหลายแถวต่อหนึ่งช่องใน {relation}: {words}",
        "several rows for one cell in {relation}: {words}",
    ),
    "day_good": (
        "{day}: {people} คน มาครบ {full} บางช่วง {partial} ขาด {absent} ยังไม่มีผล {wait}",
        "{day}: {people} people, full {full}, partial {partial}, absent {absent}, no result yet {wait}",
    ),
    "day_bad": ("นับวันที่ {day} ไม่ได้: {words}", "{day} cannot be counted: {words}"),
}
