/** Refusals around staff and the console. */
export const staffErrors = {
  operator_stays: {
    status: 409,
    fa: 'حساب مدیر ارشد از این‌جا غیرفعال یا حذف نمی‌شود.',
    en: 'A super admin’s account is not deactivated or deleted here.',
  },
  delivery_waiting: {
    status: 409,
    fa: 'هنوز در حال فرستادن است و خودش دوباره تلاش می‌کند.',
    en: 'It is still being sent, and is tried again by itself.',
  },
  delivery_not_resendable: {
    status: 409,
    fa: 'این پیام دوباره فرستاده نمی‌شود: کاربر آن را دیگر نمی‌خواهد، یا چیزی از آن نمانده است.',
    en: 'It cannot be sent again: its user needs or wants it no longer, or nothing of it is left.',
  },
  delivery_resent: {
    status: 409,
    fa: 'تازه دوباره فرستاده شده است. {seconds} ثانیهٔ دیگر امتحان کنید.',
    en: 'It was sent again just now. Try again in {seconds} seconds.',
  },
  staff_exists: {
    status: 409,
    fa: 'این نشانی همین حالا عضو گروه است. برای تغییر نقش، اول غیرفعالش کنید.',
    en: 'This address is a member of staff already. Disable it first to change its role.',
  },
  staff_unproved: {
    status: 409,
    fa: 'حساب این نشانی هنوز تأیید نشده است. صاحبش باید یک بار با کد ایمیل وارد شود.',
    en: 'The account of this address is not verified. Its owner signs in with a code by e-mail once.',
  },
  staff_closed: {
    status: 409,
    fa: 'حساب این نشانی بسته یا مسدود است.',
    en: 'The account of this address is closed or suspended.',
  },
  staff_disabled: { status: 409, fa: 'این عضو غیرفعال است.', en: 'This member is disabled.' },
  staff_last: {
    status: 409,
    fa: 'آخرین مدیر ارشد غیرفعال نمی‌شود. اول یک مدیر ارشد دیگر اضافه کنید.',
    en: 'The last super admin is not disabled. Add another one first.',
  },
  staff_self: {
    status: 409,
    fa: 'دسترسی خودتان را نمی‌توانید تغییر دهید.',
    en: 'You cannot change your own access.',
  },
  staff_beyond: {
    status: 403,
    fa: 'این نقش بیشتر از اختیار شماست.',
    en: 'This role may do more than you may.',
  },
  staff_enrolment_over: {
    status: 403,
    fa: 'زمان تعریف راه دوم ورود گذشته است. از کسی که سرور دست اوست بخواهید آن را دوباره باز کند.',
    en: 'The time for setting up a second factor is over. Ask the operator of the server to open it again.',
  },
  staff_enrolled: {
    status: 409,
    fa: 'این حساب راه دوم ورود دارد. با همان وارد شوید.',
    en: 'This account has a second factor. Sign in with it.',
  },
  staff_factor_needed: {
    status: 403,
    fa: 'حساب همکاران را فقط گذرکلید یا کد برنامهٔ رمزساز تأیید می‌کند.',
    en: 'The account of a member of staff is confirmed by a passkey or a code of the authenticator app only.',
  },
  staff_first_factor: {
    status: 403,
    fa: 'راه دوم ورود همکاران در بخش مدیریت تعریف می‌شود.',
    en: 'The first factor of a member of staff is set up in the console.',
  },
  staff_own_account: {
    status: 409,
    fa: 'با پول حساب خودتان نمی‌توانید کاری بکنید.',
    en: 'You cannot do anything with the money of your own account.',
  },
  account_staff: {
    status: 409,
    fa: 'این حساب یک همکار است؛ مسدود و باز کردنش فقط از خط فرمان شدنی است.',
    en: 'This account belongs to a member of staff; only the command line suspends or reopens it.',
  },
  account_state: {
    status: 409,
    fa: 'وضع این حساب همین حالا عوض شده است. وضع تازه را ببینید و دوباره تصمیم بگیرید.',
    en: 'The state of this account has changed meanwhile. Look at it and decide anew.',
  },
  account_changed: {
    status: 409,
    fa: 'از آن وقت کسی دیگر این حساب را مسدود یا باز کرده است؛ چیزی برگردانده نشد.',
    en: 'Somebody has suspended or reopened this account since; nothing was undone.',
  },
  bulk_count: {
    status: 409,
    fa: 'حالا {count} نفر در این فهرست‌اند، بیشتر از آنچه دیدید. دوباره بشمارید و تصمیم بگیرید.',
    en: 'Now {count} users fit this filter, more than you were shown. Count again and decide anew.',
  },
  bulk_sum: {
    status: 409,
    fa: 'حالا {count} نفر در این فهرست‌اند و جمعش {sum} تومان می‌شود، نه آنچه دیدید. دوباره ببینید و تصمیم بگیرید.',
    en: 'Now the list has {count} users, which makes {sum} toman, not what you were shown. Look again and decide anew.',
  },
  bulk_too_many: {
    status: 409,
    fa: 'در یک کار گروهی بیشتر از {most} نفر جا نمی‌شوند. فهرست را کوچک‌تر کنید.',
    en: 'One bulk has at most {most} users. Narrow the filter.',
  },
  bulk_nobody: {
    status: 409,
    fa: 'کسی نمانده است که این کار برایش انجام شود.',
    en: 'There is nobody to do this for.',
  },
  bulk_state: {
    status: 409,
    fa: 'این کار گروهی دیگر در آن مرحله نیست. صفحه را تازه کنید.',
    en: 'This bulk is not at that point any more. Load the page again.',
  },
  bulk_undone: {
    status: 409,
    fa: 'این کار گروهی یک بار برگردانده شده است.',
    en: 'This bulk was undone already.',
  },
  bulk_final: {
    status: 409,
    fa: 'این کار برگشت ندارد.',
    en: 'This cannot be undone.',
  },
  adjust_beyond_balance: {
    status: 409,
    fa: 'موجودی فقط {balance} تومان است؛ بیشتر از آن کم نمی‌شود.',
    en: 'The balance is {balance} toman; no more can be taken away.',
  },
  nothing_owed: { status: 409, fa: 'این حساب بدهی ندارد.', en: 'This account owes nothing.' },
  proposal_over: {
    status: 409,
    fa: 'این پیشنهاد دیگر باز نیست.',
    en: 'This proposal is not open any more.',
  },
  proposal_own: {
    status: 409,
    fa: 'پیشنهاد خودتان را یک همکار دیگر باید تأیید کند.',
    en: 'Another member has to approve what you proposed.',
  },
  proposal_waits: {
    status: 409,
    fa: 'کس دیگری نیست که تأیید کند؛ {hours} ساعت بعد از پیشنهاد خودتان می‌توانید.',
    en: 'There is nobody else to approve it; {hours} hours after proposing you can.',
  },
  proposal_stale: {
    status: 409,
    fa: 'بدهی از وقت پیشنهاد تا حالا عوض شده است. ردش کنید و دوباره پیشنهاد دهید.',
    en: 'What is owed has changed since it was proposed. Decline it and propose it again.',
  },
  approval_stale: {
    status: 409,
    fa: 'آنچه پیشنهاد شده بود دیگر شدنی نیست، چون وقتش گذشته است. ردش کنید تا دوباره پیشنهاد شود.',
    en: 'What was proposed is not possible any more: its time is over. Decline it, so that it can be proposed again.',
  },
  payment_not_waiting: {
    status: 409,
    fa: 'این پرداخت دیگر منتظر بررسی نیست. صفحه را تازه کنید.',
    en: 'This payment does not wait for a review any more. Load the page again.',
  },
  payment_account_deleted: {
    status: 409,
    fa: 'حساب این پرداخت پاک شده است و کسی نمی‌تواند پولش را خرج کند. پول را در پنل درگاه برگردانید و پرداخت را ناموفق ثبت کنید.',
    en: 'The account of this payment was erased: nobody could spend the money. Send it back in the gateway’s panel, and close the payment as failed.',
  },
  payment_reference_taken: {
    status: 409,
    fa: 'این مرجع بانک برای پرداخت دیگری ثبت شده است: {payment}',
    en: 'This reference is credited to another payment: {payment}',
  },
  payment_proposed: {
    status: 409,
    fa: 'واریز این پرداخت پیشنهاد شده و منتظر یک همکار دیگر است.',
    en: 'Crediting this payment is proposed already, and waits for another member.',
  },
  prices_changed: {
    status: 409,
    fa: 'قیمت همین حالا عوض شد. صفحه را تازه کنید و دوباره تصمیم بگیرید.',
    en: 'The prices have changed meanwhile. Load the page again and decide anew.',
  },
  price_planned: {
    status: 409,
    fa: 'یک تغییر قیمت برنامه‌ریزی شده است. اول لغوش کنید.',
    en: 'A change of the price is planned already. Cancel it first.',
  },
  price_moment: {
    status: 409,
    fa: 'تغییر باید از {minutes} دقیقه تا یک سال دیگر باشد.',
    en: 'A planned change begins at least {minutes} minutes and at most a year from now.',
  },
  price_in_force: {
    status: 409,
    fa: 'این تغییر دیگر لغو نمی‌شود: اجرا شده، لغو شده یا تا چند ثانیهٔ دیگر اجرا می‌شود.',
    en: 'This change cannot be cancelled any more: it is in force or cancelled already, or comes into force within seconds.',
  },
  plans_changed: {
    status: 409,
    fa: 'همکار دیگری این پلن را همین حالا عوض کرد. تغییرش را ببینید و دوباره تصمیم بگیرید.',
    en: 'Another member has changed this plan meanwhile. See what is different, and decide anew.',
  },
  plan_planned: {
    status: 409,
    fa: 'یک تغییر این پلن برنامه‌ریزی شده است. اول لغوش کنید.',
    en: 'A change of this plan is planned already. Cancel it first.',
  },
  plan_unchanged: { status: 409, fa: 'این پلن همین حالا هم همین است.', en: 'The plan is so already.' },
  plan_at_once: {
    status: 409,
    fa: 'پلن تازه، نام، جا و فروش پلن همان لحظه عوض می‌شوند و برنامه‌ریزی نمی‌شوند.',
    en: 'A new plan, its names, its place and whether it is sold change at once, and are not planned.',
  },
  plan_original_price: {
    status: 409,
    fa: 'قیمت خط‌خورده باید از قیمت بیشتر باشد.',
    en: 'The crossed-out price must be above the price.',
  },
  cards_name_differs: {
    status: 409,
    fa: 'آنچه باید برای تأیید می‌نوشتید درست نوشته نشده است.',
    en: 'What had to be typed to confirm this is typed wrong.',
  },
  cards_unchanged: {
    status: 409,
    fa: 'کارتی نمانده است که عوض شود: مصرف یا باطل شده‌اند. صفحه را تازه کنید.',
    en: 'No card is left that could change: they are redeemed or void. Load the page again.',
  },
  setting_changed: {
    status: 409,
    fa: 'این تنظیم همین حالا عوض شد. مقدار تازه را ببینید و دوباره تصمیم بگیرید.',
    en: 'This setting has changed meanwhile. Look at its new value and decide anew.',
  },
  setting_value: {
    status: 422,
    fa: 'این مقدار پذیرفته نشد. {allowed}',
    en: 'This value is not accepted. {allowed}',
  },
  flag_owner: {
    status: 422,
    fa: 'مسئول باید یک نقش یا همکاری باشد که این‌جا کار می‌کند.',
    en: 'The owner is a role, or a member who works here.',
  },
  report_days: {
    status: 422,
    fa: 'روز اول باید پیش از روز آخر باشد و از اول تا آخر بیش از {days} روز نباشد.',
    en: 'The first day comes before the last one, and there are at most {days} days between them.',
  },
  settlement_file: {
    status: 422,
    fa: 'این فایل تسویهٔ این درگاه نیست. باید متن CSV با کدگذاری UTF-8 باشد، در عنوانش مرجع و مبلغ داشته باشد و حداقل یک خطش خوانده شود. فایل اکسل را اول به CSV ذخیره کنید.',
    en: 'This is no settlement file of this gateway. It has to be CSV text in UTF-8 whose head names a reference and an amount, with at least one line that can be read. Save an Excel workbook as CSV first.',
  },
  settlement_days: {
    status: 422,
    fa: 'این فایل تاریخ ندارد، یا روز اولش بعد از روز آخر است. بنویسید کدام روزها در آن است.',
    en: 'This file has no dates, or its first day comes after its last. Say which days it covers.',
  },
  settlement_unlikely: {
    status: 409,
    fa: 'هیچ خطی از این فایل با پرداخت‌ها جور نیست: درگاه یا واحدِ پول را نگاه کنید، یا بگویید همین درست است.',
    en: 'No line of this file fits a payment: look at the gateway and the unit, or say that it is right all the same.',
  },
  difference_refused: {
    status: 409,
    fa: 'این اختلاف دیگر باز نیست، یا این‌طور در دفتر نوشته نمی‌شود: خطی که خوانده نشده نوشته نمی‌شود، و خط بانک فقط به حساب بانک. صفحه را تازه کنید.',
    en: 'This difference is not open any more, or cannot be booked so: a line that nobody can read is not booked, and a line of the bank only to the bank. Load the page again.',
  },
  month_open: {
    status: 409,
    fa: 'این ماه هنوز بسته نمی‌شود: تمام نشده، چیزی در آن نیست، یا ماهی پیش از آن باز است.',
    en: 'This month cannot be closed yet: it is not over, nothing is booked in it, or a month before it is open.',
  },
  month_name_differs: {
    status: 409,
    fa: 'نام ماه درست نوشته نشده است.',
    en: 'The name of the month is typed wrong.',
  },
  refund_not_waiting: {
    status: 409,
    fa: 'این بازپرداخت دیگر منتظر شما نیست. صفحه را تازه کنید.',
    en: 'This refund does not wait for you any more. Load the page again.',
  },
  bank_not_asked: {
    status: 409,
    fa: 'دربارهٔ این پرداخت نمی‌شود از بانک پرسید: درگاه خاموش است یا پرداخت هرگز به بانک نرسیده است.',
    en: 'The bank cannot be asked about this payment: the gateway is off, or the payment never reached the bank.',
  },
  node_name_differs: {
    status: 409,
    fa: 'نام سرور درست نوشته نشده است.',
    en: 'The name of the server is typed wrong.',
  },
  node_state_differs: {
    status: 409,
    fa: 'این کار با وضع کنونی سرور یا مقصدش جور نیست. صفحه را تازه کنید.',
    en: 'This does not go with the state of the server or of where it moves. Load the page again.',
  },
  traces_used_up: {
    status: 429,
    fa: 'در هر ساعت {count} بار می‌شود پرسید. {minutes} دقیقهٔ دیگر دوباره بپرسید.',
    en: 'A server may be asked {count} times an hour. Ask again in {minutes} minutes.',
  },
  alert_closed: {
    status: 409,
    fa: 'این هشدار همین حالا بسته شد؛ دلیلش برطرف شده است.',
    en: 'This alert has just closed: its cause is gone.',
  },
  token_scopes: {
    status: 403,
    fa: 'توکن بیشتر از اختیار این عضو می‌خواهد.',
    en: 'The token would do more than this member may.',
  },
  token_over: { status: 409, fa: 'این توکن دیگر کار نمی‌کند.', en: 'This token works no longer.' },
  proof_needed: {
    status: 401,
    fa: 'برای این کار، یک بار دیگر با گذرکلید یا کد برنامه تأیید کنید که خودتان هستید.',
    en: 'For this, show your passkey or a code of your app once more.',
  },
} as const;
