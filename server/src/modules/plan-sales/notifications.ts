export interface PlanNotifications {
  plan_ending: { nameFa: string; nameEn: string; endsAt: string };
}
